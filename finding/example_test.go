package finding_test

import (
	"fmt"

	"github.com/tarebench/tare/finding"
)

func Example() {
	findings := []finding.Finding{
		{ID: "too-few-laps", Severity: finding.Info, Subject: "BenchmarkParse", Message: "p99.9 needs 1,000 laps, there are 100"},
		{ID: "governor", Severity: finding.Warning, Subject: "cpu0", Message: "the frequency is not fixed", Action: "choose the performance governor"},
	}
	for _, f := range findings {
		switch f.Severity {
		case finding.Info:
			fmt.Println("note:", f)
		case finding.Warning, finding.Severe:
			fmt.Println("do not trust the number yet:", f)
		}
	}
	// Output:
	// note: BenchmarkParse: p99.9 needs 1,000 laps, there are 100 [too-few-laps]
	// do not trust the number yet: cpu0: the frequency is not fixed; choose the performance governor [governor]
}
