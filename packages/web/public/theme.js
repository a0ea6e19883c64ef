// Before anything is painted: the theme that was chosen here. Without one, the system decides.
try {
  const theme = localStorage.getItem('toolyard.theme');
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
} catch {
  // Storage may be forbidden; then the system decides.
}
