package explain

import "github.com/tarebench/tare/cmd/tare/internal/result"

// Explanation explains the difference of a benchmark between the first variant
// and another.
type Explanation struct {
	result.Key
	// NewVariant is the other variant. Change and Verdict come from the
	// recording, if there is one.
	NewVariant int            `json:"new_variant"`
	Change     result.Change  `json:"change"`
	Verdict    result.Verdict `json:"verdict,omitempty"`
	// Causes are suspected causes, the most likely first.
	Causes []Cause `json:"causes"`
	// Note is the reason why the profiles do not order the causes. It is empty if
	// they do.
	Note string `json:"note,omitempty"`
	// OldRunning and NewRunning describe the running variants, or are nil if
	// unknown. Sites are the functions that allocate.
	OldRunning *running         `json:"old_running,omitempty"`
	NewRunning *running         `json:"new_running,omitempty"`
	Sites      []allocationSite `json:"sites,omitempty"`
	// OldRuntime and NewRuntime are the runtime counts of a study, if there is one.
	OldRuntime *result.RuntimeCounts `json:"-"`
	NewRuntime *result.RuntimeCounts `json:"-"`
}

// Explained is the result of tare explain.
type Explained struct {
	Schema     int              `json:"schema"`
	Variants   []result.Variant `json:"variants"`
	Benchmarks []Explanation    `json:"benchmarks"`
	// Folder is the directory of the recording with the changes.
	Folder string `json:"folder,omitempty"`
}
