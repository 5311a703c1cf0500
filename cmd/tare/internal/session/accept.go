package session

import (
	"context"
	"fmt"
	"regexp"
	"strings"

	"github.com/tarebench/tare/cmd/tare/internal/catalog"
	"github.com/tarebench/tare/cmd/tare/internal/process"
	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/internal/unit"
)

// trailer is the value of Tare-Accept: NAME +3% because REASON.
var trailer = regexp.MustCompile(`^(\S+) \+([0-9.]+%) because (.+)$`)

// accepted reads the trailers of the commits that only the second variant has,
// the newest first, if the gate accepts them. A variant without a commit has
// none.
func (v *sides) accepted(ctx context.Context, spec Spec) (all []result.Accepted, err error) {
	_, accept := spec.Output.Gate[result.AcceptTrailer]
	if !accept || len(v.list) < 2 || v.list[0].Commit == "" || v.list[1].Commit == "" {
		return nil, nil
	}
	out, err := process.GitIn(spec.Dir)(ctx, nil, "log", "--no-show-signature", "--format=%(trailers:key=Tare-Accept,valueonly,unfold)", v.list[0].Commit+".."+v.list[1].Commit)
	if err != nil {
		return nil, fmt.Errorf("read trailers of commits: %w", err)
	}
	for _, line := range strings.FieldsFunc(string(out), func(r rune) bool { return r == '\n' }) {
		var limit float64
		m := trailer.FindStringSubmatch(line)
		if m != nil {
			limit, err = unit.ParsePercent(m[2])
		}
		if m == nil || err != nil {
			v.findings = append(v.findings, catalog.AcceptUnread.Of(line))
			continue
		}
		all = append(all, result.Accepted{Benchmark: m[1], Limit: limit, Because: m[3]})
	}
	return all, nil
}
