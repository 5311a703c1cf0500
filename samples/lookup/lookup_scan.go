//go:build scan || !search

package lookup

import "slices"

// Find returns the place of name in names, which are sorted, or -1.
func Find(names []string, name string) int { return slices.Index(names, name) }
