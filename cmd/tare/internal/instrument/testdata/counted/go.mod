module counted

go 1.24
