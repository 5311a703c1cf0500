//go:build lab

package judge

import (
	"fmt"
	"os"
	"testing"
	"text/tabwriter"

	"github.com/tarebench/tare/cmd/tare/internal/result"
)

// TestGuardTable prints docs/results/guard.txt: how many of 40 studies say "same"
// of sides that are equal, except for a cost that comes once in some blocks and
// makes the mean of one side slower by 20%. The machine is the noise model's
// (noise_test.go): stolen time, which is no delay of the thread. Equal sides are
// the same where events are watched, and a cost of every second block is seen.
//
//	go test -tags lab ./cmd/tare/internal/judge -run GuardTable -v
func TestGuardTable(t *testing.T) {
	const studies = 40
	table := tabwriter.NewWriter(os.Stdout, 0, 0, 1, ' ', 0)
	fmt.Fprintln(table, "| load | the cost comes once in | followed: sums,\t watched | not followed: sums,\t watched |")
	fmt.Fprintln(table, "|---|---|---|---|")
	for load, s := range map[int]scene{0: scenes[0], 4: scenes[2], 16: scenes[3]} {
		for _, every := range []int64{0, 2, 3, 5, 10} {
			fmt.Fprintf(table, "| %d | ", load)
			if every == 0 {
				fmt.Fprint(table, "never")
			} else {
				fmt.Fprintf(table, "%d blocks", every)
			}
			for _, followed := range []bool{true, false} {
				for i, watched := range []bool{false, true} {
					n := countStudies(studies, func(seed uint64) bool {
						study := result.Study{Plan: result.Plan{Alpha: 0.05, Delta: 0.02, MaxBlocks: 40, Seed: seed}, Variants: make([]result.Variant, 2), Family: 1}
						b := loaded(s, every, followed, watched, false, seed)
						all := b.Blocks
						for _, n := range NewDesign(40, 0.05, 1).Looks {
							b.Blocks = all[:n]
							if j := Judge(study, b, 0, 1); j.Done {
								return j.Rows[0].Verdict == result.Same
							}
						}
						return false
					})
					fmt.Fprint(table, []string{" | ", ", "}[i], n)
					if watched && every == 0 && n < studies-2 || every == 2 && n > 0 {
						t.Errorf("load %d, a cost in every %d blocks: %d of %d studies are the same", load, every, n, studies)
					}
				}
			}
			fmt.Fprintln(table, " |")
		}
	}
	table.Flush()
}
