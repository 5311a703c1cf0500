package build

import (
	"errors"
	"fmt"
	"strings"
)

// ErrNoTests is wrapped by Build's error for a package without test files.
var ErrNoTests = errors.New("the package has no test files")

// ErrNoPackage is wrapped by Build's error for a package that only other
// variants have.
var ErrNoPackage = errors.New("this variant has no such package")

// BuildError reports the failed step, its variant, and the output of the tool
// that failed.
type BuildError struct {
	// Variant is the label. Step is the failed step ("check out", "compile").
	Variant, Step string
	// Package is the import path, or empty if the step does not concern one
	// package.
	Package string
	// Output is the output of git, go, the compiler or the linker.
	Output string
	// Hint is the next action, if known.
	Hint string
	Err  error
}

func (e *BuildError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s: ", e.Step, e.Variant)
	if e.Package != "" {
		fmt.Fprintf(&b, "package %s: ", e.Package)
	}
	switch {
	case e.Output != "" && strings.Contains(e.Output, "\n"):
		b.WriteString("\n" + e.Output)
	case e.Output != "":
		b.WriteString(e.Output)
	default:
		fmt.Fprint(&b, e.Err)
	}
	if e.Hint != "" {
		separator := "; "
		if strings.Contains(e.Output, "\n") {
			separator = "\n"
		}
		b.WriteString(separator + e.Hint)
	}
	return b.String()
}

func (e *BuildError) Unwrap() error { return e.Err }
