// expect: 'grant' consumed more than once
import Policy

func spend(_ grant: consuming Grant) -> String { grant.id }

func twice(_ grant: consuming Grant) -> (String, String) { (spend(grant), spend(grant)) }
