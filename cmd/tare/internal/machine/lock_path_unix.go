//go:build unix

package machine

// defaultFile is one path for all users, since the temporary directory of the
// environment may belong to one user.
func defaultFile() string { return "/tmp/tare.lock" }
