package study

import (
	"encoding/json"
	"fmt"

	"github.com/tarebench/tare/cmd/tare/internal/result"
)

// aspect is a property that all parts of a study share.
type aspect struct {
	name string
	of   func(*result.Recording) any
	// advice is what to do if the parts differ.
	advice string
}

const (
	sameTree    = "check out the same commits on every machine"
	sameGo      = "use the same Go release on every machine"
	sameCommand = "start every part with the same arguments, except for -shard and -o"
)

var aspects = []aspect{
	{"the method", func(r *result.Recording) any { return r.Study.Method }, "use the same tare on every machine"},
	{"the kind of study", func(r *result.Recording) any { return r.Study.Kind }, sameCommand},
	{"the number of parts", func(r *result.Recording) any { return r.Study.Part.Of }, sameCommand},
	{"the variants", variants(func(v result.Variant) any { return v.Label }), sameCommand},
	{"the commits of the variants", variants(func(v result.Variant) any { return v.Revision }), sameTree},
	{"the kept binaries", variants(func(v result.Variant) any { return v.Digest }), "copy the same binaries to every machine"},
	{"the Go releases of the variants", variants(func(v result.Variant) any { return v.Go }), sameGo},
	{"the tags, flags and environment of the variants", variants(func(v result.Variant) any { return []any{v.Tags, v.Flags, v.Env} }), sameCommand},
	{"the seed", func(r *result.Recording) any { return r.Study.Seed }, "give every part the same -seed, or none"},
	{"-alpha", func(r *result.Recording) any { return r.Study.Alpha }, sameCommand},
	{"-delta", func(r *result.Recording) any { return r.Study.Delta }, sameCommand},
	{"-blocks", func(r *result.Recording) any { return r.Study.MaxBlocks }, sameCommand},
	{"-budget", func(r *result.Recording) any { return r.Study.BudgetSeconds }, sameCommand},
	{"-total", func(r *result.Recording) any { return r.Study.TotalSeconds }, sameCommand},
	{"other flags", otherFlags, sameCommand},
	{"the system and architecture", func(r *result.Recording) any { return []string{machineOf(r).OS, machineOf(r).Arch} }, "measure on machines of one kind, since their binaries differ"},
	{"the settings of the go command", goSettings, "set them to the same on every machine"},
}

func variants(of func(result.Variant) any) func(*result.Recording) any {
	return func(r *result.Recording) any {
		var all []any
		for _, v := range r.Study.Variants {
			all = append(all, of(v))
		}
		return all
	}
}

// otherFlags is the plan without the fields that belong to one part.
func otherFlags(r *result.Recording) any {
	p := r.Study.Plan
	p.Part, p.Command, p.Output = nil, nil, result.Output{Gate: p.Output.Gate}
	return p
}

func machineOf(r *result.Recording) result.Machine {
	if r.Study.Machine == nil {
		return result.Machine{}
	}
	return *r.Study.Machine
}

// goSettings are the settings that change the build.
func goSettings(r *result.Recording) any {
	out := make(map[string]string)
	for _, name := range []string{"GOAMD64", "GOARM64", "GOEXPERIMENT", "GOFLAGS"} {
		out[name] = machineOf(r).Go[name]
	}
	return out
}

// differ returns an error if two parts belong to different studies.
func differ(a, b Recorded) error {
	for _, of := range aspects {
		x, err := json.Marshal(of.of(a.Recording))
		if err != nil {
			return err
		}
		y, err := json.Marshal(of.of(b.Recording))
		if err != nil {
			return err
		}
		if string(x) != string(y) {
			return fmt.Errorf("%s and %s belong to different studies: they differ in %s, %s and %s: %s", a.Name, b.Name, of.name, x, y, of.advice)
		}
	}
	return nil
}
