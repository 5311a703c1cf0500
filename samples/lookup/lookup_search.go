//go:build search && !scan

package lookup

import "slices"

// Find returns the place of name in names, which are sorted, or -1.
func Find(names []string, name string) int {
	if i, found := slices.BinarySearch(names, name); found {
		return i
	}
	return -1
}
