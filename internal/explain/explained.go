package explain

import "github.com/tarebench/tare/internal/result"

// Explanation is why a benchmark differs between the first variant and another.
type Explanation struct {
	result.Key
	// NewVariant is the other variant. Change and Verdict are those of the
	// recording; unknown and empty where there is none.
	NewVariant int            `json:"new_variant"`
	Change     result.Change  `json:"change"`
	Verdict    result.Verdict `json:"verdict,omitempty"`
	// Causes are suspected, the most likely first. None is proved.
	Causes []Cause `json:"causes"`
}

// Explained is what tare explain comes to.
type Explained struct {
	Schema     int              `json:"schema"`
	Variants   []result.Variant `json:"variants"`
	Benchmarks []Explanation    `json:"benchmarks"`
	// Folder is the recording that the changes are of.
	Folder string `json:"folder,omitempty"`
}
