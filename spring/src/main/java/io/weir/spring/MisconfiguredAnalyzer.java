package io.weir.spring;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Reports why the start failed, and what to do. */
final class MisconfiguredAnalyzer extends AbstractFailureAnalyzer<MisconfiguredException> {
  @Override
  protected FailureAnalysis analyze(Throwable failure, MisconfiguredException cause) {
    return new FailureAnalysis(String.valueOf(cause.getMessage()), cause.action(), cause);
  }
}
