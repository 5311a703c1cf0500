//go:build !unix

package build

// userFolder names our folder below the temporary one, which is the user's own
// on these systems.
func userFolder() string { return "tare" }

func ownFolder(string) error { return nil }

// gone is not known here; a lock that is held is taken for a live process's.
func gone(int) bool { return false }
