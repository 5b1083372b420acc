/** The supported shells. */
export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

/** The hidden argument that makes the program print one candidate per line for the words that follow. */
export const COMPLETE = '__complete';

/**
 * The hidden argument that the script of a shell passes. The first line of the output is the kind of the completion,
 * the others are the candidates.
 */
export const completeFor = (shell: Shell) => `${COMPLETE}_${shell}`;

/**
 * The script that each shell loads. Names originate from other people (clusters, agents, conversations), so a candidate
 * is passed as data only: no `eval`, no word list that the shell expands (`compgen -W` does), one line each, and quoted
 * for its position. The bash script passes the line itself, because bash splits words at `:` and `=` and keeps quotes;
 * zsh and fish quote what they insert. Implemented here for that reason: the scripts of @bomb.sh/tab pass the typed
 * text to `eval`, and the candidates to `compgen -W`.
 */
export const SCRIPTS: Readonly<Record<Shell, string>> = {
  bash: `# Completion of meshd for bash: source /dev/stdin <<<"$(meshd completion bash)"
# The bash of macOS, 3.2, loads nothing with source <(...) and has no compopt.
_meshd() {
  COMPREPLY=()
  local answer kind=
  while IFS= read -r answer; do
    if [[ -z $kind ]]; then kind=$answer; else COMPREPLY+=("$answer"); fi
  done < <(command meshd ${completeFor('bash')} "\${COMP_LINE:0:COMP_POINT}" "$COMP_WORDBREAKS" 2>/dev/null)
  case $kind in
    files) compopt -o default 2>/dev/null ;;
    folders) compopt -o default -o dirnames 2>/dev/null ;;
    open) compopt -o nospace 2>/dev/null ;;
  esac
}
complete -F _meshd meshd
type compopt >/dev/null 2>&1 || complete -o default -F _meshd meshd`,
  zsh: `#compdef meshd
# Completion of meshd for zsh: source <(meshd completion zsh), or as the file _meshd in a folder of $fpath.
_meshd() {
  local -a answers candidates shown
  local answer
  answers=("\${(@f)$(command meshd ${completeFor('zsh')} "\${(@Q)words[2,CURRENT-1]}" "\${(Q)PREFIX}" 2>/dev/null)}")
  for answer in "\${(@)answers[2,-1]}"; do
    candidates+=("\${answer%%$'\\t'*}")
    shown+=("\${answer/$'\\t'/  -- }")
  done
  case $answers[1] in
    files) _files ;;
    folders) _files -/ ;;
    open) compadd -S '' -l -d shown -a candidates ;;
    words) (( $#candidates )) && compadd -l -d shown -a candidates ;;
  esac
}
if [[ $funcstack[1] == _meshd ]]; then
  _meshd
else
  (( $+functions[compdef] )) || { autoload -Uz compinit && compinit -i; }
  compdef _meshd meshd
fi`,
  fish: `# Completion of meshd for fish: meshd completion fish > ~/.config/fish/completions/meshd.fish
function __meshd_complete
  set -l words (commandline -opc)
  set -l typed (commandline -ct)
  set -l answers (command meshd ${completeFor('fish')} $words[2..-1] "$typed" 2>/dev/null)
  switch "$answers[1]"
    case files
      __fish_complete_path "$typed"
    case folders
      __fish_complete_directories "$typed"
    case '*'
      printf '%s\\n' $answers[2..-1]
  end
end
complete -c meshd -f
complete -c meshd -f -a '(__meshd_complete)'`,
};
