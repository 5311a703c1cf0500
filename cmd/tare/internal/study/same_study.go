package study

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/tarebench/tare/cmd/tare/internal/result"
)

func sharedBy(r *result.Recording) (map[string]string, error) {
	s := r.Study
	machine := cmp.Or(s.Machine, new(result.Machine))
	s.Created, s.Family, s.Command = time.Time{}, 0, nil
	s.Part, s.Output = &result.Part{Of: s.Part.Of}, result.Output{Gate: s.Output.Gate}
	s.Machine = &result.Machine{OS: machine.OS, Arch: machine.Arch, Go: make(map[string]string)}
	for _, name := range []string{"GOAMD64", "GOARM64", "GOEXPERIMENT", "GOFLAGS"} { // they change the build
		s.Machine.Go[name] = machine.Go[name]
	}
	text, err := json.Marshal(s)
	if err != nil {
		return nil, err
	}
	var tree any
	if err := json.Unmarshal(text, &tree); err != nil {
		return nil, err
	}
	fields := make(map[string]string)
	flatten(fields, "", tree)
	return fields, nil
}

// flatten adds the values below a node of JSON: "variants.0.label".
func flatten(fields map[string]string, name string, node any) {
	switch node := node.(type) {
	case map[string]any:
		for key, child := range node {
			flatten(fields, name+"."+key, child)
		}
	case []any:
		for i, child := range node {
			flatten(fields, fmt.Sprint(name, ".", i), child)
		}
	default:
		text, _ := json.Marshal(node) // a number, text or true
		fields[strings.TrimPrefix(name, ".")] = string(text)
	}
}

// differ returns an error if two parts belong to different studies. It names
// the seed last, since the seed is made of the other fields.
func differ(a, b Recorded) error {
	old, err := sharedBy(a.Recording)
	if err != nil {
		return err
	}
	new, err := sharedBy(b.Recording)
	if err != nil {
		return err
	}
	names := slices.Sorted(maps.Keys(old))
	for name := range new {
		if _, both := old[name]; !both {
			names = append(names, name)
		}
	}
	names = append(slices.DeleteFunc(names, func(name string) bool { return name == "seed" }), "seed")
	for _, name := range names {
		if x, y := cmp.Or(old[name], "none"), cmp.Or(new[name], "none"); x != y {
			return fmt.Errorf("%s and %s belong to different studies: they differ in %s, %s and %s: start every part with the same commits, arguments and tools, except for -shard and -o", a.Name, b.Name, name, x, y)
		}
	}
	return nil
}
