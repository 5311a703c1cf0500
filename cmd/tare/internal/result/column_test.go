package result

import (
	"encoding/json"
	"errors"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestColumnRoundTrip: whatever form a column takes in the file, the same
// numbers come back.
func TestColumnRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		number := rapid.OneOf(
			rapid.SampledFrom([]float64{0, 1, 12165, 48660, 43.9, -2, 1e-9, 1 << 60, math.NaN()}),
			rapid.Float64Range(-1e12, 1e12))
		var want column
		switch rapid.IntRange(0, 2).Draw(t, "form") {
		case 0:
			want = rapid.SliceOfN(number, 1, 60).Draw(t, "numbers")
		case 1: // runs
			for range rapid.IntRange(1, 8).Draw(t, "runs") {
				want = append(want, slices.Repeat(column{number.Draw(t, "number")}, rapid.IntRange(1, 20).Draw(t, "long"))...)
			}
		case 2: // a period, the last one cut off
			period := rapid.SliceOfN(number, 1, 20).Draw(t, "period")
			want = slices.Repeat(period, rapid.IntRange(1, 5).Draw(t, "times"))
			want = append(want, period[:rapid.IntRange(0, len(period)).Draw(t, "rest")]...)
		}
		text, err := json.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		var got column
		if err := json.Unmarshal(text, &got); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if got, err = got.filled(len(want)); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		for i := range want {
			if got[i] != want[i] && !(math.IsNaN(got[i]) && math.IsNaN(want[i])) {
				t.Fatalf("%v became %s became %v", want, text, got)
			}
		}
	})
}

func TestColumnForms(t *testing.T) {
	for _, c := range []struct {
		numbers column
		text    string
	}{
		{column{7, 7, 7}, `7`},
		{column{1, 2, 3}, `[1,2,3]`},
		{column{44, 44, 44, 44.1, 0, 0}, `[[44,3],44.1,0,0]`},
		{column{1, 1, 1, 4, 1, 1, 1, 4, 1}, `{"repeat":[[1,3],4],"count":9}`},
	} {
		text, err := json.Marshal(c.numbers)
		if err != nil || string(text) != c.text {
			t.Errorf("%v: %s, %v; want %s", c.numbers, text, err, c.text)
		}
	}
	for _, text := range []string{`[[1,2]`, `[[1,0]]`, `[[1,2000000]]`, `[[1]]`, `[[1,2,3]]`, `[1,[2,x]]`, `{"repeat":[],"count":4}`, `{"repeat":[1,2],"count":-1}`, `{"repeat":[1,2],"count":2000000}`, `{}`, `"x"`} {
		var c column
		if err := c.UnmarshalJSON([]byte(text)); !errors.Is(err, errColumn) {
			t.Errorf("%s was read as %v, error %v", text, c, err)
		}
	}
}
