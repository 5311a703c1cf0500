package study

const programSuffix = ".exe"
