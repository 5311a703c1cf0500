package report

import (
	"strings"
	"testing"

	"github.com/tarebench/tare/internal/doctor"
	"github.com/tarebench/tare/internal/result"
)

// TestDiagnosisSaysTheSmallestChange: a number with its interval, never less
// than it is, or else why there is none.
func TestDiagnosisSaysTheSmallestChange(t *testing.T) {
	for _, c := range []struct {
		d    doctor.Diagnosis
		want string
	}{
		{doctor.Diagnosis{SmallestChange: &result.Estimate{Center: 0.00311, Lo: 0.002, Hi: 0.00551, N: 38}},
			"within the default budget is about 0.32%: between 0.2% and 0.56% while the machine stays as it was just now."},
		{doctor.Diagnosis{Unpredicted: "1 of 9 blocks are good, and it takes 8\x1b[31m"},
			"is not known: 1 of 9 blocks are good, and it takes 8"},
		{doctor.Diagnosis{Skipped: "another process measures now"}, ""},
	} {
		var b strings.Builder
		if err := DiagnosisText(&b, &c.d, Options{}); err != nil {
			t.Fatal(err)
		}
		text := b.String()
		if !strings.Contains(text, c.want) || strings.Contains(text, "\x1b") {
			t.Errorf("want %q in:\n%s", c.want, text)
		}
		if c.want == "" && strings.Contains(text, "compare can tell") {
			t.Errorf("nothing was tried, and it says:\n%s", text)
		}
	}
}
