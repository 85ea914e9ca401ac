package io.weir.grpc;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.grpc.CallOptions;
import io.grpc.ClientInterceptors;
import io.grpc.Context;
import io.grpc.Contexts;
import io.grpc.ForwardingServerCallListener.SimpleForwardingServerCallListener;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Server;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.ServerInterceptors;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.MetadataUtils;
import io.grpc.stub.ServerCalls;
import io.grpc.stub.StreamObserver;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

/** A gRPC server that echoes, behind an interceptor, and a client of it, over loopback. */
final class EchoServer implements AutoCloseable {
  static final MethodDescriptor<String, String> SAY =
      method("Say", MethodDescriptor.MethodType.UNARY);
  static final MethodDescriptor<String, String> CHAT =
      method("Chat", MethodDescriptor.MethodType.BIDI_STREAMING);

  /** What an interceptor before has found out. */
  static final Context.Key<String> USER = Context.key("user");

  final Set<String> users = ConcurrentHashMap.newKeySet();
  final AtomicInteger received = new AtomicInteger();
  final AtomicInteger cancelled = new AtomicInteger();
  final AtomicInteger begun = new AtomicInteger();
  final AtomicReference<String> thread = new AtomicReference<>("");
  final ManagedChannel channel;
  private final WeirServerInterceptor weir;
  private final Server server;

  /**
   * @param inner interceptors of the service, behind {@code weir}
   */
  EchoServer(WeirServerInterceptor weir, ServerInterceptor... inner) throws IOException {
    this.weir = weir;
    ServerServiceDefinition service =
        ServerServiceDefinition.builder("shop.Echo")
            .addMethod(SAY, ServerCalls.asyncUnaryCall(this::say))
            .addMethod(CHAT, ServerCalls.asyncBidiStreamingCall(this::chat))
            .build();
    server =
        NettyServerBuilder.forAddress(new InetSocketAddress("127.0.0.1", 0))
            .addService(ServerInterceptors.intercept(service, inner))
            .intercept(weir)
            .intercept(outermost())
            .build()
            .start();
    channel = NettyChannelBuilder.forAddress("127.0.0.1", server.getPort()).usePlaintext().build();
  }

  /** Observes what the server passes to Weir. */
  private ServerInterceptor outermost() {
    return new ServerInterceptor() {
      @Override
      public <Q, A> ServerCall.Listener<Q> interceptCall(
          ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
        Context context = Context.current().withValue(USER, "ann");
        ServerCall.Listener<Q> inner = Contexts.interceptCall(context, call, headers, next);
        received.incrementAndGet();
        return new SimpleForwardingServerCallListener<>(inner) {
          @Override
          public void onCancel() {
            super.onCancel();
            cancelled.incrementAndGet();
          }
        };
      }
    };
  }

  private void say(String text, StreamObserver<String> to) {
    begun.incrementAndGet();
    if (text.equals("throw")) {
      throw new IllegalStateException("thrown on purpose");
    }
    if (text.equals("abort")) {
      to.onError(Status.ABORTED.asRuntimeException());
      return;
    }
    to.onNext("heard " + text);
    to.onCompleted();
  }

  private StreamObserver<String> chat(StreamObserver<String> to) {
    begun.incrementAndGet();
    users.add(String.valueOf(USER.get()));
    thread.set(Thread.currentThread().getName());
    return new StreamObserver<>() {
      @Override
      public void onNext(String text) {
        users.add(String.valueOf(USER.get()));
        to.onNext("heard " + text);
      }

      @Override
      public void onError(Throwable gone) {}

      @Override
      public void onCompleted() {
        to.onCompleted();
      }
    };
  }

  /** Calls once; what comes back beside the message is put into {@code heard}. */
  String say(String text, Metadata sent, ReceivedMetadata receivedMetadata) {
    return ClientCalls.blockingUnaryCall(
        ClientInterceptors.intercept(
            channel,
            MetadataUtils.newAttachHeadersInterceptor(sent),
            MetadataUtils.newCaptureMetadataInterceptor(
                receivedMetadata.headers, receivedMetadata.trailers)),
        SAY,
        CallOptions.DEFAULT.withDeadlineAfter(30, TimeUnit.SECONDS),
        text);
  }

  String say(String text) {
    return say(text, new Metadata(), new ReceivedMetadata());
  }

  /** What comes back beside messages. */
  static final class ReceivedMetadata {
    final AtomicReference<Metadata> headers = new AtomicReference<>();
    final AtomicReference<Metadata> trailers = new AtomicReference<>();

    String header(String name) {
      return of(headers.get(), name);
    }

    String trailer(String name) {
      return of(trailers.get(), name);
    }

    static String of(Metadata all, String name) {
      return all == null ? null : all.get(Metadata.Key.of(name, Metadata.ASCII_STRING_MARSHALLER));
    }
  }

  static Metadata headers(String... namesAndValues) {
    Metadata headers = new Metadata();
    for (int i = 0; i < namesAndValues.length; i += 2) {
      headers.put(
          Metadata.Key.of(namesAndValues[i], Metadata.ASCII_STRING_MARSHALLER),
          namesAndValues[i + 1]);
    }
    return headers;
  }

  private static MethodDescriptor<String, String> method(
      String name, MethodDescriptor.MethodType type) {
    return MethodDescriptor.<String, String>newBuilder()
        .setType(type)
        .setFullMethodName(MethodDescriptor.generateFullMethodName("shop.Echo", name))
        .setRequestMarshaller(new Text())
        .setResponseMarshaller(new Text())
        .build();
  }

  private static final class Text implements MethodDescriptor.Marshaller<String> {
    @Override
    public InputStream stream(String value) {
      return new ByteArrayInputStream(value.getBytes(UTF_8));
    }

    @Override
    public String parse(InputStream stream) {
      try {
        return new String(stream.readAllBytes(), UTF_8);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  @Override
  public void close() throws Exception {
    channel.shutdownNow();
    server.shutdownNow();
    channel.awaitTermination(10, TimeUnit.SECONDS);
    server.awaitTermination(10, TimeUnit.SECONDS);
    weir.close();
  }
}
