package sidecar

// LogFolder is where serve keeps its logs, one file for each run; "" where there is no place for them.
func LogFolder(getenv func(string) string) string { return logFolder(getenv) }
