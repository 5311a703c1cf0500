// Package report turns finished values into what people read: text, JSON,
// CSV, Markdown, HTML, pictures, and the formats of other tools. A file per
// format, no statistics.
//
// The pipeline: a study in progress is shown by [Live]; a finished one is a
// [Document] (a comparison or a run, with the recording of it), which
// [Write] renders in one of the formats. Rounding, color and words for
// numbers live here only, and every name in a document is untrusted text.
package report
