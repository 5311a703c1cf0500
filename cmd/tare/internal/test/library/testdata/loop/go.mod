module example.test/loop

go 1.26.0

require github.com/tarebench/tare v0.0.0

replace github.com/tarebench/tare => ../../../../../../..
