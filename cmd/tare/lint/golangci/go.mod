module github.com/tarebench/tare/cmd/tare/lint/golangci

go 1.26.0

require (
	github.com/golangci/plugin-module-register v0.1.2
	github.com/tarebench/tare/cmd/tare v0.1.0
	golang.org/x/tools v0.52.0
)

require github.com/tarebench/tare v0.1.0 // indirect

replace (
	github.com/tarebench/tare => ../../../..
	github.com/tarebench/tare/cmd/tare => ../..
)
