// Package pattern makes and matches the patterns of go test -bench: regular
// expressions with a slash between the levels of a name.
//
// [Exact] returns the pattern of given names. [Names] and [Functions] match
// patterns that the user typed.
package pattern
