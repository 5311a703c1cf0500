module pairs

go 1.24
