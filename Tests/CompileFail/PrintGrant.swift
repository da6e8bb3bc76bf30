// expect: no exact matches in call to instance method 'appendInterpolation'
import Policy

func show(_ grant: borrowing Grant) -> String { "\(grant)" }
