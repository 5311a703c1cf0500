package build

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/tarebench/tare/cmd/tare/internal/file"
)

var buildFlags = []string{
	"a", "asan", "asmflags", "buildmode", "buildvcs", "compiler", "cover", "covermode", "coverpkg",
	"gccgoflags", "gcflags", "installsuffix", "ldflags", "linkshared", "mod", "modcacherw", "modfile",
	"msan", "overlay", "p", "pgo", "pkgdir", "race", "tags", "toolexec", "trimpath",
}

// flagName cuts -name=value or --name=value. A flag without a value is a
// switch.
func flagName(flag string) (name, value string) {
	name, value, _ = strings.Cut(strings.TrimPrefix(strings.TrimPrefix(flag, "-"), "-"), "=")
	return name, value
}

func checkBuildFlag(flag string) error {
	name, value := flagName(flag)
	switch {
	case !strings.HasPrefix(flag, "-"):
		return fmt.Errorf("flags=%s: a flag begins with a dash and is one word, as flags=-gcflags=-B", flag)
	case name == "tags":
		return fmt.Errorf("flags=%s: write tags=%s", flag, value)
	case !slices.Contains(buildFlags, name):
		return fmt.Errorf("flags=%s: -%s is not a build flag of go test (flags of the test binary go after --)", flag, name)
	}
	return nil
}

// flagSet contains the flags of the go command, combined from the user's
// GOFLAGS, the command line and the variant. GOFLAGS stays in the environment,
// without the flags that tare's flags would override.
type flagSet struct {
	plain   []string // as given, in order
	tags    []string
	ldflags []string // values, in order
	overlay string   // the user's overlay file, the last one as in cmd/go
	modfile string
	pgo     string // the value of -pgo, empty for the default (auto)
	exec    string // the value of -exec in GOFLAGS
	trouble string // why relinking must use go test -c, or empty
}

func mergeFlags(goflags string, common []string, spec Spec) flagSet {
	var set flagSet
	take := func(flag string, fromEnv bool) {
		switch name, value := flagName(flag); name {
		case "tags":
			set.tags = append(set.tags, strings.FieldsFunc(value, func(r rune) bool { return r == ',' || r == ' ' })...)
			return
		case "pgo":
			set.pgo = value
		case "ldflags":
			set.ldflags = append(set.ldflags, value)
			// Relative paths in these start from the directory of go.
			if strings.Contains(value, "-ext") || strings.Contains(value, "-L") || strings.Contains(value, "-r") {
				set.trouble = "-ldflags=" + value
			}
			return
		case "overlay":
			set.overlay = value
			return
		case "modfile":
			set.modfile = value
			return
		case "exec":
			set.exec = value
			return
		case "toolexec":
			set.trouble = "-toolexec runs between go and the linker"
		case "linkshared", "compiler":
			set.trouble = "-" + name
		}
		if !fromEnv {
			set.plain = append(set.plain, flag)
		}
	}
	for _, flag := range splitQuoted(goflags) {
		take(flag, true)
	}
	for _, flag := range slices.Concat(common, spec.Flags) {
		take(flag, false)
	}
	set.tags = append(set.tags, spec.Tags...)
	slices.Sort(set.tags)
	set.tags = slices.Compact(set.tags)
	return set
}

func (f flagSet) list() []string {
	args := slices.Clone(f.plain)
	if len(f.tags) > 0 {
		args = append(args, "-tags="+strings.Join(f.tags, ","))
	}
	if f.overlay != "" {
		args = append(args, "-overlay="+f.overlay)
	}
	if f.modfile != "" {
		args = append(args, "-modfile="+f.modfile)
	}
	return args
}

// linker returns the -ldflags with extra words. Every pattern=flags of the
// user gets them, since cmd/go uses only the last value that matches a
// package.
func (f flagSet) linker(extra ...string) []string {
	words := strings.Join(extra, " ")
	args := []string{"-ldflags=" + words}
	for _, value := range f.ldflags {
		args = append(args, strings.TrimRight("-ldflags="+value+" "+words, " "))
	}
	return args
}

// splitQuoted splits GOFLAGS as cmd/go does: at spaces, with 'single' or
// "double" quotes around a whole word.
func splitQuoted(s string) []string {
	var words []string
	for {
		s = strings.TrimLeft(s, " \t\n\r")
		if s == "" {
			return words
		}
		if quote := s[0]; quote == '\'' || quote == '"' {
			if end := strings.IndexByte(s[1:], quote); end >= 0 {
				words, s = append(words, s[1:1+end]), s[end+2:]
				continue
			}
		}
		end := strings.IndexAny(s, " \t\n\r")
		if end < 0 {
			return append(words, s)
		}
		words, s = append(words, s[:end]), s[end:]
	}
}

type overlayFile struct {
	Replace map[string]string
}

// readOverlay reads a user's overlay. Relative paths are resolved against dir,
// the user's directory. A replaced file of the user's tree is the same file in
// the variant's tree.
func readOverlay(name, dir string, place func(string) string) (map[string]string, error) {
	name = absolute(dir, name)
	data, err := file.ReadNamed(name)
	if err != nil {
		return nil, fmt.Errorf("read overlay: %w", err)
	}
	var user overlayFile
	if err := json.Unmarshal(data, &user); err != nil {
		return nil, fmt.Errorf("read overlay %s: %w", name, err)
	}
	merged := make(map[string]string, len(user.Replace))
	for from, to := range user.Replace {
		if to != "" {
			to = absolute(dir, to)
		}
		merged[place(absolute(dir, from))] = to
	}
	return merged, nil
}
