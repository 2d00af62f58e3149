# The App's server: docs/container.md. Also built by the release.
FROM node:24.21.0-trixie-slim AS build
WORKDIR /source
COPY package.json package-lock.json .npmrc ./
RUN ["npm", "ci", "--include=dev", "--ignore-scripts"]
COPY . .
RUN ["npm", "run", "--silent", "bundle:package"]

FROM node:24.21.0-trixie-slim
COPY --from=build /source/package.json /source/LICENSE /opt/autobuild/
COPY --from=build /source/bin/ /opt/autobuild/bin/
COPY --from=build /source/build/ /opt/autobuild/build/
RUN ln -s /opt/autobuild/bin/autobuild.cjs /usr/local/bin/autobuild \
  && install --directory --owner=node --group=node --mode=0700 /data
# One file for one instance. With DATABASE_URL set, AUTOBUILD_DB has to be empty.
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000 AUTOBUILD_DB=/data/autobuild.db
USER node
# The server reads .env in its directory, if there is one.
WORKDIR /data
VOLUME ["/data"]
EXPOSE 3000
HEALTHCHECK --interval=30s --timeout=5s --start-period=20s --retries=3 CMD ["node", "-e", "fetch('http://127.0.0.1:' + process.env.PORT + '/healthz').then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
CMD ["autobuild", "serve"]
