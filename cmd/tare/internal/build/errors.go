package build

import (
	"errors"
	"fmt"
	"strings"
)

// ErrNoTests is wrapped by Build's error for a package without test files.
var ErrNoTests = errors.New("the package has no test files")

// ErrNoPackage is wrapped by Build's error for a package that the variant does
// not have: it is on the other side only.
var ErrNoPackage = errors.New("this variant has no such package")

// BuildError says which step towards a test binary failed, for which variant,
// in the words of the tool that failed.
type BuildError struct {
	// Variant is the label, Step what was attempted ("check out", "compile").
	Variant, Step string
	// Package is the import path, empty where the step is not about one.
	Package string
	// Output is what git, go, the compiler or the linker said.
	Output string
	// Hint is the next action, where one is known.
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
