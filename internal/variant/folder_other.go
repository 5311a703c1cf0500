//go:build !unix

package variant

// userFolder names our folder below the temporary one, which is the user's own
// on these systems.
func userFolder() string { return "tare" }

func ownFolder(string) error { return nil }
