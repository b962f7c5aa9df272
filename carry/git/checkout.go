package git

// CheckOutPathsArgs check out the paths on stdin, each with a NUL at its end, as the index has them, and note their times in it.
func CheckOutPathsArgs() []string { return []string{"checkout-index", "-u", "-z", "--stdin"} }
