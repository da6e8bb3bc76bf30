module kist

go 1.19
