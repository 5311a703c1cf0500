// Package report writes finished values as text, CSV, Markdown, comments of
// pull requests, JUnit and SVG. Every name in a [Document] is untrusted text.
package report
