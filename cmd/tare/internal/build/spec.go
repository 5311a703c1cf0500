package build

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/tarebench/tare/cmd/tare/internal/words"
)

// WorkingTree is the revision of the current files, committed or not.
const WorkingTree = "."

// Spec is one variant of a comparison as the user described it.
type Spec struct {
	// Label is the text that the user typed.
	Label string
	// Revision is a git revision or [WorkingTree], or empty if Bin is set.
	Revision string
	// Bin is a kept test binary.
	Bin string
	// Tags are build tags, added to the tags of the command line.
	Tags []string
	// Env are NAME=VALUE pairs for the build and the run. A secret has only its
	// name, see [Environment].
	Env []string
	// Flags are build flags of the go command, each in one word (-gcflags=-B).
	Flags []string
	// Go is a toolchain version ("1.27.1"). If empty, go chooses.
	Go string
	// Mods are dependencies to replace, path@version.
	Mods []string
	// Tests is the revision whose tests are built with the code, or empty for the
	// code's own tests.
	Tests string
	// BenchmarksOnly leaves out of these tests what no benchmark reaches.
	BenchmarksOnly bool
}

const specSyntax = "REV[,key=value…]: REV is a git revision, . for the working tree, or bin=FILE; keys are go=VERSION, env=NAME=VALUE, tags=…, mod=path@version, flags=…, tests=REV"

var specKeys = []string{"bin", "env", "flags", "go", "mod", "tags", "tests"}

var (
	versionForm   = regexp.MustCompile(`^1\.[0-9]+(\.[0-9]+)?((rc|beta)[0-9]+)?$`)
	envNameForm   = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
	assignForm    = regexp.MustCompile(`^([a-z]+)=`)
	upperCaseForm = regexp.MustCompile(`^[A-Z_][A-Z0-9_]*=`)
)

// Parse reads REV[,key=value…].
//
// A comma begins a new key only if one of the keys and "=" follow it. Any other
// comma belongs to the value before it: tags=a,b is two tags, and
// env=GODEBUG=a=1,b=2 is one variable. A comma followed by a dash separates
// flags: flags=-race,-gcflags=-B is two flags. A backslash before a comma makes
// the comma literal: flags=-ldflags=-extldflags=-Wl\,-z\,now. Keys may be
// repeated, except go=, tests= and bin=.
func Parse(text string) (Spec, error) {
	spec := Spec{Label: text}
	first, rest := cutComma(text)
	switch key, value, ok := cutKey(first); {
	case ok && key == "bin":
		if value == "" {
			return spec, parseError(text, "bin= needs the path of a test binary (go test -c, or one that tare kept)")
		}
	case ok:
		return spec, parseError(text, "it begins with %s=: name the code first, as %s,%s for the working tree", key, WorkingTree, text)
	case first == "":
		return spec, parseError(text, "it names no code: want "+specSyntax)
	case strings.HasPrefix(first, "-"):
		return spec, parseError(text, "a revision does not begin with a dash")
	default:
		spec.Revision = literal(first)
		if rest == nil {
			return spec, nil
		}
		first, rest = cutComma(*rest)
	}
	for {
		key, value, ok := cutKey(first)
		if !ok {
			return spec, parseError(text, "%s", unknownKey(first))
		}
		// Text up to the next key belongs to this value.
		for rest != nil {
			next, after := cutComma(*rest)
			if _, _, isKey := cutKey(next); isKey {
				break
			}
			if err := continues(key, next); err != nil {
				return spec, parseError(text, "%w", err)
			}
			value, rest = value+","+next, after
		}
		if err := spec.set(key, value); err != nil {
			return spec, parseError(text, "%w", err)
		}
		if rest == nil {
			break
		}
		first, rest = cutComma(*rest)
	}
	return spec, spec.consistent()
}

// ParseAll parses several variants.
func ParseAll(texts ...string) ([]Spec, error) {
	specs := make([]Spec, len(texts))
	for i, text := range texts {
		var err error
		if specs[i], err = Parse(text); err != nil {
			return nil, err
		}
	}
	return specs, nil
}

func isTag(text string) bool {
	other := func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) && r != '_' && r != '.' }
	return text != "" && !strings.ContainsFunc(text, other)
}

func parseError(text, format string, args ...any) error {
	text = HideSecrets(text)
	return fmt.Errorf("parse variant %q: %w", text, fmt.Errorf(format, args...))
}

// cutComma splits at the first comma without a backslash before it. rest is nil
// if there is none.
func cutComma(s string) (first string, rest *string) {
	for i := 0; i < len(s); i++ {
		if s[i] == ',' && (i == 0 || s[i-1] != '\\') {
			after := s[i+1:]
			return s[:i], &after
		}
	}
	return s, nil
}

func literal(s string) string { return strings.ReplaceAll(s, `\,`, ",") }

func cutKey(s string) (key, value string, ok bool) {
	key, value, ok = strings.Cut(s, "=")
	return key, value, ok && slices.Contains(specKeys, key)
}

func continues(key, element string) error {
	m := assignForm.FindStringSubmatch(element)
	switch {
	case m != nil && (key != "env" || nearKey(m[1]) != ""):
		return errors.New(unknownKey(element))
	case key == "env" && upperCaseForm.MatchString(element):
		return fmt.Errorf("a second variable needs its own key: env=%s (a comma inside a value is written \\,)", element)
	case key == "go" || key == "mod" || key == "tests":
		return fmt.Errorf("%s= takes one value, and %q is not a key: keys are %s", key, element, keyList())
	}
	return nil
}

func unknownKey(element string) string {
	name, _, assigned := strings.Cut(element, "=")
	if near := nearKey(name); near != "" && assigned {
		return fmt.Sprintf("unknown key %s=: did you mean %s=?", name, near)
	}
	return fmt.Sprintf("%q is not key=value: keys are %s", element, keyList())
}

func keyList() string { return strings.Join(specKeys, "=, ") + "=" }

func nearKey(name string) string {
	if near := words.Nearest(name, specKeys); near != "" && near != name {
		return near
	}
	return map[string]string{"module": "mod", "modules": "mod", "environment": "env", "toolchain": "go", "golang": "go", "binary": "bin"}[name]
}

func (s *Spec) set(key, value string) error {
	if value == "" {
		return fmt.Errorf("%s= needs a value", key)
	}
	switch key {
	case "bin":
		if s.Bin != "" || s.Revision != "" {
			return errors.New("bin= is the code: write it first, alone or with env=")
		}
		s.Bin = literal(value)
	case "go":
		version := strings.TrimPrefix(value, "go")
		if s.Go != "" {
			return errors.New("go= is given twice")
		}
		if !versionForm.MatchString(version) {
			return fmt.Errorf("go=%s: want a version such as go=1.27.1", value)
		}
		s.Go = version
	case "env":
		if err := checkEnv(value); err != nil {
			return err
		}
		s.Env = append(s.Env, literal(value))
	case "tags":
		for tag := range strings.FieldsFuncSeq(value, func(r rune) bool { return r == ',' || r == ' ' }) {
			if !isTag(tag) {
				return fmt.Errorf("tags=%s: %q is not a build tag", value, tag)
			}
			s.Tags = append(s.Tags, tag)
		}
	case "mod":
		path, version, ok := strings.Cut(value, "@")
		if !ok || path == "" || version == "" {
			return fmt.Errorf("mod=%s: want mod=path@version, as mod=golang.org/x/text@v0.20.0", value)
		}
		s.Mods = append(s.Mods, value)
	case "tests":
		if s.Tests != "" || strings.HasPrefix(value, "-") {
			return fmt.Errorf("tests=%s: want one git revision, or %s for the working tree", value, WorkingTree)
		}
		s.Tests = literal(value)
	case "flags":
		for _, flag := range splitFlags(value) {
			if err := checkBuildFlag(flag); err != nil {
				return err
			}
			s.Flags = append(s.Flags, flag)
		}
	}
	return nil
}

// splitFlags splits a list at commas that a dash follows.
func splitFlags(list string) []string {
	var flags []string
	for element := ""; ; {
		first, rest := cutComma(list)
		element += first
		if rest == nil {
			return append(flags, literal(element))
		}
		if strings.HasPrefix(*rest, "-") {
			flags, element = append(flags, literal(element)), ""
		} else {
			element += ","
		}
		list = *rest
	}
}

func (s *Spec) consistent() error {
	if s.Bin == "" {
		return nil
	}
	for key, given := range map[string]bool{"tags": len(s.Tags) > 0, "flags": len(s.Flags) > 0, "go": s.Go != "", "mod": len(s.Mods) > 0, "tests": s.Tests != ""} {
		if given {
			return parseError(s.Label, "%s= is for the build, but a kept binary is already built: use only env= with bin=", key)
		}
	}
	return nil
}
