import js from "@eslint/js";

export default [
  js.configs.recommended,
  { linterOptions: { reportUnusedDisableDirectives: "error" } },
  // The type checker knows better what names there are.
  { rules: { "no-undef": "off" } },
];
