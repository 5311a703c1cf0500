package report

import (
	"strings"
	"testing"

	"github.com/tarebench/tare/cmd/tare/internal/machine"
	"github.com/tarebench/tare/cmd/tare/internal/result"
)

// TestDiagnosisSaysTheSmallestChange: a number with its interval, never less
// than it is, or else why there is none.
func TestDiagnosisSaysTheSmallestChange(t *testing.T) {
	for _, c := range []struct {
		d    machine.Diagnosis
		want string
	}{
		{machine.Diagnosis{SmallestChange: &result.Estimate{Center: 0.00311, Lo: 0.002, Hi: 0.00551, N: 38}, Unpredicted: "3 of 3 blocks were good, but 8 are needed"},
			"within its default budget is about 0.32% (0.2% to 0.56%) for arithmetic, if the machine stays as it is. For code that allocates it is not known: 3 of 3 blocks were good, but 8 are needed"},
		{machine.Diagnosis{SmallestChange: &result.Estimate{Center: 0.00311, Lo: 0.002, Hi: 0.00551, N: 38}, SmallestAllocating: &result.Estimate{Center: 0.0081, Lo: 0.005, Hi: 0.0121, N: 38}},
			"is about 0.32% (0.2% to 0.56%) for arithmetic, and 0.81% (0.5% to 1.3%) for code that allocates and reads memory in random order, if the machine stays as it is."},
		{machine.Diagnosis{Unpredicted: "1 of 9 blocks are good, but 8 are needed\x1b[31m"},
			"is not known: 1 of 9 blocks are good, but 8 are needed"},
		{machine.Diagnosis{Skipped: "another process measures now"}, ""},
	} {
		var b strings.Builder
		if err := DiagnosisText(&b, &c.d, Options{}); err != nil {
			t.Fatal(err)
		}
		text := b.String()
		if !strings.Contains(text, c.want) || strings.Contains(text, "\x1b") {
			t.Errorf("want %q in:\n%s", c.want, text)
		}
		if c.want == "" && strings.Contains(text, "compare can show") {
			t.Errorf("nothing was tried, and it says:\n%s", text)
		}
	}
}
