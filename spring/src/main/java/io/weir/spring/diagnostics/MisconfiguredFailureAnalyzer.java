package io.weir.spring.diagnostics;

import io.weir.spring.MisconfiguredException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Reports why the start failed, and what to do. */
final class MisconfiguredFailureAnalyzer extends AbstractFailureAnalyzer<MisconfiguredException> {
  @Override
  protected FailureAnalysis analyze(Throwable failure, MisconfiguredException cause) {
    return new FailureAnalysis(String.valueOf(cause.getMessage()), cause.action(), cause);
  }
}
