module github.com/tarebench/tare/cmd/tare/internal/lab/peers

go 1.26.0

require (
	github.com/HdrHistogram/hdrhistogram-go v1.4.0
	github.com/loov/hrtime v1.0.4
	github.com/tarebench/tare v0.1.0
	github.com/tarebench/tare/cmd/tare v0.0.0
)

replace (
	github.com/tarebench/tare => ../../../../..
	github.com/tarebench/tare/cmd/tare => ../../..
)
