// Package attempt answers whether the working tree is better than the best tree
// so far: keep, revert or again.
//
// A session is a directory with a [Ledger]. [Levels] gives each attempt its
// error rate. [Trees] keeps its files as a commit. [Run] measures it and
// answers. docs/try.md describes the rules.
package attempt
