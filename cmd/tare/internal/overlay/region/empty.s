// An assembly file lets region.go declare a function without a body.
