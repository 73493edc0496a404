module fabricast

go 1.26
