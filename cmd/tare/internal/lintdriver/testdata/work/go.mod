module example.test/work

go 1.26
