// Package lintdriver runs the checks of package lint.
//
// [Check] loads packages, runs the checks and returns a [Report]. [AnswerVet]
// answers go vet instead, which loads packages itself.
package lintdriver
