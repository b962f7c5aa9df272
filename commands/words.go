package commands

// Refuse makes a Failure with nothing written, of a code of reasons.go: for the clients of the table that must refuse
// something before a command is asked (a flag of the contract that is not served yet). args are name, value, name, value….
func Refuse(code string, args ...string) *Failure { return refuse(code, args...) }
