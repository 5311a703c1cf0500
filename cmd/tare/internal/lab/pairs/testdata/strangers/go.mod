module example.org/strangers

go 1.26
