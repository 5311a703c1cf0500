package machine

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestParseCPUList(t *testing.T) {
	for _, tt := range []struct {
		text string
		want []int
	}{
		{"0", []int{0}},
		{"0-3,8\n", []int{0, 1, 2, 3, 8}},
		{"8,0-1", []int{0, 1, 8}},
		{"0-2,1-3", []int{0, 1, 2, 3}},
		{"0-6:2", []int{0, 2, 4, 6}}, // strides of cpusets(7)
		{"", nil},
		{"(null)", nil},
		{"3-1", nil},
		{"-1", nil},
		{"0-", nil},
		{"1,,2", nil},
		{"0-99999999", nil},
	} {
		if got := ParseCPUList(tt.text); !slices.Equal(got, tt.want) {
			t.Errorf("ParseCPUList(%q) = %v, want %v", tt.text, got, tt.want)
		}
	}
}

func TestCPUListRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		drawn := rapid.SliceOfN(rapid.IntRange(0, 300), 1, 40).Draw(t, "cpus")
		cpus := slices.Compact(slices.Sorted(slices.Values(drawn)))
		if got := ParseCPUList(FormatCPUList(drawn)); !slices.Equal(got, cpus) {
			t.Fatalf("%v became %q became %v", drawn, FormatCPUList(drawn), got)
		}
	})
}

func FuzzParseCPUList(f *testing.F) {
	for _, s := range []string{"0-3,8", "0-6:2", "", "1-", "9999999999999999999", "0-65535", "0-65536", ":", "0:0"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		cpus := ParseCPUList(text)
		if !slices.IsSorted(cpus) || len(cpus) > 0 && (cpus[0] < 0 || cpus[len(cpus)-1] >= maxCPUs) {
			t.Errorf("ParseCPUList(%q) = %v", text, cpus)
		}
		if again := ParseCPUList(FormatCPUList(cpus)); !slices.Equal(again, cpus) {
			t.Errorf("ParseCPUList(%q) = %v does not survive a round trip: %v", text, cpus, again)
		}
	})
}
