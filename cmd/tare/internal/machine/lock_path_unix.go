//go:build unix

package machine

// defaultFile is one path for all users: the temporary folder of the
// environment may be a user's own.
func defaultFile() string { return "/tmp/tare.lock" }
