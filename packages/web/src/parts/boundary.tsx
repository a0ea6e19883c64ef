// Catches what breaks while it is drawn, so that only that part goes and not the page around it.
import { Component, type ReactNode } from 'react';

export interface BoundaryProps {
  /** What stands there instead. */
  fallback: (error: unknown) => ReactNode;
  /** When this changes, drawing is tried again. */
  of?: unknown;
  children: ReactNode;
}

interface State {
  broke: { error: unknown } | undefined;
}

export class Boundary extends Component<BoundaryProps, State> {
  override state: State = { broke: undefined };

  static getDerivedStateFromError(error: unknown): State {
    return { broke: { error } };
  }

  override componentDidUpdate(before: BoundaryProps): void {
    if (this.state.broke && before.of !== this.props.of) this.setState({ broke: undefined });
  }

  override render(): ReactNode {
    const { broke } = this.state;
    return broke ? this.props.fallback(broke.error) : this.props.children;
  }
}
