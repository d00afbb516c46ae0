import hooks from "eslint-plugin-react-hooks";
import tseslint from "typescript-eslint";

export default tseslint.config(
  { ignores: ["dist", "node_modules", "src/api/schema.d.ts"] },
  {
    files: ["src/**/*.{ts,tsx}"],
    extends: [...tseslint.configs.recommendedTypeChecked, ...tseslint.configs.strict],
    plugins: { "react-hooks": hooks },
    languageOptions: { parserOptions: { projectService: true } },
    rules: {
      ...hooks.configs.recommended.rules,
      "max-lines": ["error", 300],
      // prettier breaks code; this is for comments and texts. It lets a space of JSX stand at the end of a line.
      "max-len": ["error", { code: 110, ignorePattern: '\\{" "\\}$' }],
      "no-console": "error",
      eqeqeq: "error",
      "@typescript-eslint/consistent-type-imports": "error",
      // Event handlers may start a promise whose failure is handled inside it.
      "@typescript-eslint/no-misused-promises": ["error", { checksVoidReturn: { attributes: false } }],
    },
  },
  {
    // Components never fetch: only src/api and src/live may reach the network.
    files: ["src/pages/**", "src/ui/**", "src/charts/**", "src/composer/**"],
    rules: { "no-restricted-globals": ["error", "fetch", "WebSocket", "XMLHttpRequest"] },
  },
);
