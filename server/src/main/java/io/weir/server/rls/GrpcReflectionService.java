package io.weir.server.rls;

import io.weir.proto.ProtoWriter;
import io.weir.server.grpc.GrpcCall;
import io.weir.server.grpc.GrpcMethod;
import io.weir.server.grpc.GrpcServer;
import io.weir.server.grpc.GrpcStatus;
import io.weir.server.grpc.ProtoReader;
import java.util.List;

/** Serves gRPC server reflection, so that tools need no {@code .proto} files. */
final class GrpcReflectionService {
  private static final int HOST = 1 << 3 | ProtoReader.BYTES;
  private static final int FILE_BY_NAME = 3 << 3 | ProtoReader.BYTES;
  private static final int FILE_OF_SYMBOL = 4 << 3 | ProtoReader.BYTES;
  private static final int FILE_OF_EXTENSION = 5 << 3 | ProtoReader.BYTES;
  private static final int EXTENSIONS_OF_TYPE = 6 << 3 | ProtoReader.BYTES;
  private static final int LIST_SERVICES = 7 << 3 | ProtoReader.BYTES;
  private static final int MAX_NAME_BYTES = 1024;

  void addTo(GrpcServer server) {
    GrpcMethod method = GrpcMethod.many(GrpcReflectionService::respond);
    server.on("grpc.reflection.v1.ServerReflection/ServerReflectionInfo", method);
    server.on("grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo", method);
  }

  private static void respond(GrpcCall call, ProtoReader message) {
    byte[] request = message.rest();
    ProtoReader in = new ProtoReader(request, 0, request.length);
    String host = "";
    int kind = 0;
    String name = "";
    for (int tag = in.next(); tag != 0; tag = in.next()) {
      switch (tag) {
        case HOST -> host = in.text(MAX_NAME_BYTES, "the host");
        case FILE_BY_NAME, FILE_OF_SYMBOL, EXTENSIONS_OF_TYPE, LIST_SERVICES -> {
          kind = tag;
          name = in.text(MAX_NAME_BYTES, "the name");
        }
        case FILE_OF_EXTENSION -> {
          kind = tag;
          in.skip(tag);
        }
        default -> in.skip(tag);
      }
    }
    ProtoWriter out = new ProtoWriter(4096);
    switch (kind) {
      case FILE_BY_NAME -> files(out, ProtoFiles.get().named(name));
      case FILE_OF_SYMBOL -> files(out, ProtoFiles.get().declaring(name));
      case EXTENSIONS_OF_TYPE, FILE_OF_EXTENSION ->
          error(out, GrpcStatus.NOT_FOUND, "there are no extensions");
      case LIST_SERVICES -> services(out);
      default -> error(out, GrpcStatus.INVALID_ARGUMENT, "nothing was asked");
    }
    call.send(out.bytes(2, request).text(1, host));
  }

  private static void files(ProtoWriter out, List<byte[]> files) {
    if (files.isEmpty()) {
      error(out, GrpcStatus.NOT_FOUND, "there is no such file or symbol");
      return;
    }
    int end = out.mark();
    for (int i = files.size() - 1; i >= 0; i--) {
      out.bytes(1, files.get(i));
    }
    out.message(4, end);
  }

  private static void services(ProtoWriter out) {
    int end = out.mark();
    List<String> names = ProtoFiles.get().services();
    for (int i = names.size() - 1; i >= 0; i--) {
      int inner = out.mark();
      out.text(1, names.get(i));
      out.message(1, inner);
    }
    out.message(6, end);
  }

  private static void error(ProtoWriter out, GrpcStatus status, String text) {
    int end = out.mark();
    out.text(2, text).number(1, status.number());
    out.message(7, end);
  }
}
