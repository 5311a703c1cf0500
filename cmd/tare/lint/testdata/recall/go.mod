module example.test/recall

go 1.26
