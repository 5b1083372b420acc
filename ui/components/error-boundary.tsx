import { Component, type ReactNode } from 'react';
import { ErrorPanel } from './states.js';

/** Keeps an error of a panel from removing the whole page. */
export class ErrorBoundary extends Component<{ what: string; children: ReactNode }, { error: unknown }> {
  override state: { error: unknown } = { error: undefined };

  static getDerivedStateFromError(error: unknown) {
    return { error: error ?? new Error('unknown') };
  }

  override render() {
    if (this.state.error === undefined) return this.props.children;
    return (
      <ErrorPanel what={this.props.what} error={this.state.error} onRetry={() => this.setState({ error: undefined })} />
    );
  }
}
